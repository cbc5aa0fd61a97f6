const OWNER = /__mfe_internal__(\w+?)__(?:mf_owner|mf_v|assets)_/

/**
 * The name of a module in Module Federation. It has underscores instead of the hyphens of the slug, because it becomes
 * part of identifiers.
 */
export const federationNameOf = (slug: string): string => slug.replaceAll('-', '_')

/**
 * Finds the federation name in the text of a remote entry. A minified build has other names of variables, but the same
 * strings, so the name is read from module ids that the Vite plugin of Module Federation writes as strings.
 */
export const federationNameIn = (text: string): string | undefined => OWNER.exec(text)?.[1]
