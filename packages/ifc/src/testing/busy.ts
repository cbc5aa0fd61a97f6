/** A worker in an endless loop: it handles no further events. */
process.once('message', () => {
  for (;;);
})
