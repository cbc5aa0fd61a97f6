export const REALMS = ['developers', 'sandboxes'] as const
export type RealmName = (typeof REALMS)[number]

export const realmPath = (realm: RealmName) => `/realms/${realm}`
