// Plain JavaScript, because a script that runs before any package is installed uses this file too.

/** The user's npm settings for the registry, the network, the cache and the configuration files. */
const KEPT =
  /^npm_config_(registry|.*:_.*|cafile|ca|cert|key|proxy|https_proxy|http_proxy|noproxy|strict_ssl|cache|userconfig|globalconfig)$/i

/**
 * Returns the environment for a run of npm. If another npm has started this program, that outer npm has exported its
 * settings as `npm_config_*` (its prefix, its log level, an empty `noproxy`), which would override the settings of the
 * inner npm. The settings of svc (`SVC_*`) are left out, because they contain tokens.
 *
 * @template {string | undefined} T
 * @param {Readonly<Record<string, T>>} env
 * @returns {Record<string, T>}
 */
export function npmEnvironment(env) {
  const kept = Object.entries(env).filter(([name, value]) => {
    if (/^SVC_/i.test(name)) return false
    return !/^npm_/i.test(name) || (KEPT.test(name) && value !== '')
  })
  return Object.fromEntries(kept)
}
