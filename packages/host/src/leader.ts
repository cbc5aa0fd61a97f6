/** The key of the PostgreSQL advisory lock of the leader: an arbitrary number, the same in all control planes. */
export const LEADER_LOCK = 7_305_030
/** The application name of the leader's connection. */
export const LEADER_NAME = 'storey-leader'
