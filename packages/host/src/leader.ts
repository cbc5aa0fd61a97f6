/**
 * The key of the PostgreSQL advisory lock of the leader: an arbitrary number, the same in all control planes. Outside
 * Kubernetes the lock is exclusive, and its holder leads. On Kubernetes it is a shared lock that all control planes
 * hold, and a lease decides which of them leads.
 */
export const LEADER_LOCK = 7_305_030
/** The application name of the connection that holds the lock. */
export const LEADER_NAME = 'storey-leader'
