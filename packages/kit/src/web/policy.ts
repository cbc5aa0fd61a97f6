/** Origins that an app may use in addition to its own. */
export interface PolicyOrigins {
  /** Origins for requests of the app, such as those of the identity provider and of sockets. */
  connect?: readonly string[]
  /**
   * Origins of modules, for their scripts, styles, fonts, images and requests. The shell's are `MODULE_ORIGINS` of the
   * contract.
   */
  modules?: readonly string[]
}

/**
 * A content security policy that allows only the page's own origin and the given origins. It allows no inline scripts
 * and styles, and no page may embed the app in a frame.
 */
export function contentSecurityPolicy({ connect = [], modules = [] }: PolicyOrigins): string {
  const own = ["'self'", ...modules].join(' ')
  return [
    `default-src 'none'`,
    `script-src ${own}`,
    `style-src ${own}`,
    `font-src ${own}`,
    `img-src ${own}`,
    `connect-src ${[own, ...new Set(connect)].join(' ')}`,
    `manifest-src 'self'`,
    `base-uri 'none'`,
    `object-src 'none'`,
    `frame-ancestors 'none'`,
    `form-action 'self'`,
  ].join('; ')
}
