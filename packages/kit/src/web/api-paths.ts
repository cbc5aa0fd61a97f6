/** Paths of the API and of other routes of the service, where the page of a web app is never served. */
export const API_PATHS = /^\/(api|socket|socket\.io|docs|realms|healthz|readyz|metrics|\.well-known)(\/|$)/
