const OWNER = /__mfe_internal__(\w+?)__(?:mf_owner|mf_v|assets)_/

/** The federation name of a module. It is an identifier, so it has no hyphens. */
export const federationNameOf = (slug: string): string => slug.replaceAll('-', '_')

/**
 * Finds the federation name in the text of a remote entry. Builds are minified, so the name is read from the
 * identifiers that the federation plugin writes.
 */
export const federationNameIn = (text: string): string | undefined => OWNER.exec(text)?.[1]
