/** Computes and hears nothing, as a reader does whose file leads it astray. */
process.once('message', () => {
  for (;;);
})
