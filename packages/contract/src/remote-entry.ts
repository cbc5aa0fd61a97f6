const OWNER = /__mfe_internal__(\w+?)__(?:mf_owner|mf_v|assets)_/

/** The federation name by which a remote entry was built. Builds are minified: it is read by how the plugin writes it. */
export const federationNameIn = (text: string): string | undefined => OWNER.exec(text)?.[1]
