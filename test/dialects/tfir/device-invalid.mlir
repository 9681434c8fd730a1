// What budgets refuse.
// RUN: graphc-opt --split-input-file --verify-diagnostics %s

// expected-error @+1 {{bounds 'bytes'; expected "link", "messages" or "peak"}}
tfir.budget "bytes" at_most 4

// -----

// expected-error @+1 {{bounds the memory of devices, which has no 'to'; name them with 'from'}}
tfir.budget "peak" to "/gpu:0" at_most 4

// -----

// expected-error @+1 {{has the limit -1, expected at least 0}}
tfir.budget "link" from "/gpu:0" to "/cpu:0" at_most -1

// -----

// expected-error @+1 {{is none of job, replica, task, device, cpu, gpu}}
tfir.budget "link" from "/gqu:0" to "/cpu:0" at_most 4
