const OWNER = /__mfe_internal__(\w+?)__(?:mf_owner|mf_v|assets)_/

/** The federation name of a remote entry. Builds are minified, so it is found by the pattern that the plugin writes. */
export const federationNameIn = (text: string): string | undefined => OWNER.exec(text)?.[1]
