const OWNER = /__mfe_internal__(\w+?)__(?:mf_owner|mf_v|assets)_/

/** The federation name of a module. It is an identifier, so it has no hyphens. */
export const federationNameOf = (slug: string): string => slug.replaceAll('-', '_')

/** The federation name of a remote entry. Builds are minified, so it is found by the pattern that the plugin writes. */
export const federationNameIn = (text: string): string | undefined => OWNER.exec(text)?.[1]
