const OWNER = /__mfe_internal__(\w+?)__(?:mf_owner|mf_v|assets)_/

/**
 * The name of a module in Module Federation. It has underscores instead of the hyphens of the slug, because it becomes
 * part of identifiers.
 */
export const federationNameOf = (slug: string): string => slug.replaceAll('-', '_')

/**
 * Finds the federation name in the text of a remote entry. Builds are minified, so the name is read from the
 * identifiers that the Vite plugin of Module Federation writes.
 */
export const federationNameIn = (text: string): string | undefined => OWNER.exec(text)?.[1]
