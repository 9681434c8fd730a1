// What a name of a device and a table of devices refuse.
// RUN: graphc-opt --split-input-file --verify-diagnostics %s

// expected-error @+1 {{'/gqu:0' is not a device name}}
module attributes {tfir.a = #tfir.device<"/gqu:0">} {}

// -----

// expected-error @+1 {{expected string}}
module attributes {tfir.a = #tfir.device<1>} {}

// -----

// expected-error @+1 {{has the client '/job:a/replica:0/task:0/device:CPU:0', expected a task such as '/job:worker/replica:0/task:0'}}
tfir.devices client "/job:a/replica:0/task:0/cpu:0" []

// -----

// expected-error @+1 {{has the client '/job:a/task:0', expected a task}}
tfir.devices client "/job:a/task:0" []

// -----

// expected-error @+1 {{has the device '/device:CPU:0', which leaves parts open}}
tfir.devices client "/job:a/replica:0/task:0" ["/cpu:0" priority 70]

// -----

// expected-error @+1 {{has the device '/job:a/replica:0/task:0/device:CPU:0' twice}}
tfir.devices client "/job:a/replica:0/task:0" [
  "/job:a/replica:0/task:0/device:CPU:0" priority 70,
  "/job:a/replica:0/task:0/cpu:0" priority 70]

// -----

// expected-error @+1 {{has a negative priority for '/job:a/replica:0/task:0/device:CPU:0'}}
tfir.devices client "/job:a/replica:0/task:0" [
  "/job:a/replica:0/task:0/device:CPU:0" priority -1]

// -----

// expected-error @+1 {{has a negative limit for '/job:a/replica:0/task:0/device:CPU:0'}}
tfir.devices client "/job:a/replica:0/task:0" [
  "/job:a/replica:0/task:0/device:CPU:0" priority 1 memory -4]

// -----

tfir.devices client "/job:a/replica:0/task:0" []
// expected-error @+1 {{is the second table of devices; keep one}}
tfir.devices client "/job:a/replica:0/task:0" []
