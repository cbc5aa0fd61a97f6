/** The version of all packages; manifests are compared with it. */
export const VERSION = '1.14.0'
