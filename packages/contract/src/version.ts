/** The version of all packages. The `sdkVersion` of a module is compared with it (`isCompatible` of the platform). */
export const VERSION = '1.14.0'
