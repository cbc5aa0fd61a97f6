/** Computes for ever and handles no events, like a reader in an endless loop. */
process.once('message', () => {
  for (;;);
})
