/**
 * Loads the OpenID provider library. Its warning about Node versions that are not LTS is suppressed, because operators
 * cannot act on it.
 */

const { warn } = console
console.warn = (...args: unknown[]) => {
  if (!String(args[0]).includes('oidc-provider WARNING: Unsupported runtime')) warn(...args)
}
try {
  await import('oidc-provider')
} finally {
  console.warn = warn
}
