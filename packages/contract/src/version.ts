/** The one version every package carries; manifests are compared with it. */
export const VERSION = '1.14.0'
