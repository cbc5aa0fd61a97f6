/** A process that loops for ever after its first message, and handles no further events. */
process.once('message', () => {
  for (;;);
})
