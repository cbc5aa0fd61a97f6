/**
 * Loads the provider without its word against a Node that was released before its line became LTS, as the one that npm
 * brings was: operators could do nothing about it.
 */
const { warn } = console
console.warn = (...said: unknown[]) => {
  if (!String(said[0]).includes('oidc-provider WARNING: Unsupported runtime')) warn(...said)
}
try {
  await import('oidc-provider')
} finally {
  console.warn = warn
}
