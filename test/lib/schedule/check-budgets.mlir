// What programs send and keep against budgets of the source, of the command line
// and of the devices.
// RUN: graphc-opt --exec-check-budgets --split-input-file --verify-diagnostics %s

// All of these just fit.
tfir.budget "link" from "/gpu:*" to "/cpu:0" at_most 96
tfir.budget "link" from "/cpu:0" to "/gpu:*" at_most 0
tfir.budget "messages" from "/gpu:*" to "/" at_most 2
tfir.budget "peak" from "/gpu:0" at_most 192
tfir.variable @w : tensor<16xf32> = #tfir.fill<0.0>
    {assigned_device = #tfir.device<"/job:localhost/replica:0/task:0/device:GPU:0">}
exec.program @"train/GPU:0" of "train" on "/job:localhost/replica:0/task:0/device:GPU:0"
    arena 128 live 128 {
  %x = exec.slot arena at 0 first 0 last 1 {name = "x"} : <tensor<8xf32>>
  %y = exec.slot arena at 64 first 0 last 1 {name = "y"} : <tensor<8xf32>>
  exec.send [0](%x) to 2 waits [] : !exec.slot<tensor<8xf32>>
}
exec.program @"train/GPU:1" of "train" on "/job:localhost/replica:0/task:0/device:GPU:1"
    arena 64 live 64 {
  %z = exec.slot arena at 0 first 0 last 1 {name = "z"} : <tensor<16xf32>>
  exec.send [1](%z) to 2 waits [] : !exec.slot<tensor<16xf32>>
}
exec.program @"train/CPU:0" of "train" on "/job:localhost/replica:0/task:0/device:CPU:0"
    arena 128 live 128 {
  %x = exec.slot arena at 0 first 0 last 1 {name = "x"} : <tensor<8xf32>>
  %z = exec.slot arena at 64 first 0 last 1 {name = "z"} : <tensor<16xf32>>
  exec.recv [0](%x) from 0 waits [] : !exec.slot<tensor<8xf32>>
  exec.recv [1](%z) from 1 waits [] : !exec.slot<tensor<16xf32>>
}

// -----

// The same value to two devices is one contributor; frames carry several.
// expected-error @+2 {{a step of graph 'train' needs 256 bytes, more than the budget 'link /device:CPU:0->/device:GPU:* <= 255 bytes'; place what exchanges these values together, or raise the limit}}
// expected-error @+2 {{a step of graph 'train' needs 3 messages, more than the budget 'messages /->/ <= 2'}}
tfir.budget "link" from "/cpu:0" to "/gpu:*" at_most 255
tfir.budget "messages" at_most 2
exec.program @"train/CPU:0" of "train" on "/job:localhost/replica:0/task:0/device:CPU:0"
    arena 384 live 384 {
  // expected-note @+1 {{64 bytes for 'w'}}
  %w = exec.slot arena at 0 first 0 last 3 {name = "w"} : <tensor<8xf32>>
  // expected-note @+1 {{192 bytes for 'batch'}}
  %b = exec.slot arena at 64 first 0 last 3 {name = "batch"} : <tensor<24xf32>>
  // expected-note @+1 {{2 messages for 'w'}}
  exec.send [0, 1](%w, %b) to 1 waits [] : !exec.slot<tensor<8xf32>>, !exec.slot<tensor<24xf32>>
  exec.send [2](%w) to 2 waits [] : !exec.slot<tensor<8xf32>>
  // expected-note @+1 {{1 message for 'batch'}}
  exec.send [3](%b) to 2 waits [] : !exec.slot<tensor<24xf32>>
}
exec.program @"train/GPU:0" of "train" on "/job:localhost/replica:0/task:0/device:GPU:0"
    arena 64 live 64 {
  %x = exec.slot arena at 0 first 0 last 0 : <tensor<8xf32>>
}
exec.program @"train/GPU:1" of "train" on "/job:localhost/replica:0/task:0/device:GPU:1"
    arena 64 live 64 {
  %x = exec.slot arena at 0 first 0 last 0 : <tensor<8xf32>>
}

// -----

// Of many contributors five are listed, the largest first; only what is in use
// at the fullest moment counts.
// expected-error @+2 {{graph 'g' needs 1.19 KiB on '/job:localhost/replica:0/task:0/device:GPU:0', more than the budget 'peak /device:GPU:* <= 1 KiB'; use a smaller batch or more devices, or raise the limit}}
// expected-note @+1 {{and 1 smaller ones}}
tfir.budget "peak" from "/gpu:*" at_most 1024
// expected-note @+1 {{256 bytes for 'v'}}
tfir.variable @v : tensor<64xf32> = #tfir.fill<0.0>
    {assigned_device = #tfir.device<"/job:localhost/replica:0/task:0/device:GPU:0">}
tfir.variable @elsewhere : tensor<640xf32> = #tfir.fill<0.0>
    {assigned_device = #tfir.device<"/job:localhost/replica:0/task:0/device:CPU:0">}
exec.program @g of "g" on "/job:localhost/replica:0/task:0/device:GPU:0"
    arena 960 live 960 {
  %small = exec.slot arena at 0 first 1 last 2 {name = "small"} : <tensor<15xf32>>
  // expected-note @+1 {{64 bytes for 'a'}}
  %a = exec.slot arena at 64 first 1 last 2 {name = "a"} : <tensor<16xf32>>
  // expected-note @+1 {{128 bytes for 'b'}}
  %b = exec.slot arena at 128 first 1 last 2 {name = "b"} : <tensor<32xf32>>
  // expected-note @+1 {{192 bytes for 'c'}}
  %c = exec.slot arena at 256 first 1 last 1 {name = "c"} : <tensor<48xf32>>
  // expected-note @+1 {{512 bytes for 'd'}}
  %d = exec.slot arena at 448 first 0 last 1 {name = "d"} : <tensor<128xf32>>
  %gone = exec.slot arena at 0 first 0 last 0 {name = "gone"} : <tensor<64xf32>>
}

// -----

// Exactly five are all of them.
// expected-error @+1 {{graph 'g' needs 320 bytes on}}
tfir.budget "peak" from "/gpu:*" at_most 319
exec.program @g of "g" on "/job:localhost/replica:0/task:0/device:GPU:0"
    arena 320 live 320 {
  // expected-note @+1 {{64 bytes for 'a'}}
  %a = exec.slot arena at 0 first 0 last 0 {name = "a"} : <tensor<16xf32>>
  // expected-note @+1 {{64 bytes for 'b'}}
  %b = exec.slot arena at 64 first 0 last 0 {name = "b"} : <tensor<16xf32>>
  // expected-note @+1 {{64 bytes for 'c'}}
  %c = exec.slot arena at 128 first 0 last 0 {name = "c"} : <tensor<16xf32>>
  // expected-note @+1 {{64 bytes for 'd'}}
  %d = exec.slot arena at 192 first 0 last 0 {name = "d"} : <tensor<16xf32>>
  // expected-note @+1 {{64 bytes for 'e'}}
  %e = exec.slot arena at 256 first 0 last 0 {name = "e"} : <tensor<16xf32>>
}

// -----

// The kernels of a program on a GPU share the scratch memory of the largest; what
// CPUs run needs none.
// expected-error @+1 {{graph 'g' needs 576 bytes on '/job:localhost/replica:0/task:0/device:GPU:0', more than the budget 'peak / <= 575 bytes'}}
tfir.budget "peak" at_most 575
exec.gpu_kernel @small buffers 1 parts [0] sizes [256] scratch 256 {
}
exec.gpu_kernel @large buffers 1 parts [0] sizes [512] scratch 512 {
}
exec.program @"g/GPU:0" of "g" on "/job:localhost/replica:0/task:0/device:GPU:0"
    arena 64 live 64 {
  // expected-note @+1 {{32 bytes for 'x'}}
  %x = exec.slot arena at 0 first 0 last 1 {name = "x"} : <tensor<8xf32>>
  exec.dispatch @small(%x) writes [0] waits [] {name = "a"} : !exec.slot<tensor<8xf32>>
  // expected-note @+1 {{512 bytes for 'b': scratch memory of its kernel}}
  exec.dispatch @large(%x) writes [0] waits [0] {name = "b"} : !exec.slot<tensor<8xf32>>
}
exec.program @"g/CPU:0" of "g" on "/job:localhost/replica:0/task:0/device:CPU:0"
    arena 64 live 64 {
  %x = exec.slot arena at 0 first 0 last 1 {name = "x"} : <tensor<8xf32>>
  exec.dispatch @large(%x) writes [0] waits [] {name = "b"} : !exec.slot<tensor<8xf32>>
}
