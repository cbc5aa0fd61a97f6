/** The zone of all names of the ingress. */
export const INGRESS_ZONE = 'example'
/** The host of the portal and the API. */
export const PUBLIC_HOST = `storey.${INGRESS_ZONE}`
/** Each sandbox has a host below this domain. */
export const BASE_DOMAIN = `sandboxes.${INGRESS_ZONE}`
