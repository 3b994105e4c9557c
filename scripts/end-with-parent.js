// Ends this process when the one that started it is gone, however that ended: no server is left behind on the port.
const parent = process.ppid;

setInterval(() => {
  if (process.ppid !== parent) process.kill(process.pid, "SIGTERM");
}, 500).unref();
