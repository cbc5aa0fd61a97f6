const KB = 1024
const MB = 1024 * KB

/** What one stack bears. */
export const LIVE_LIMITS = {
  /** Connections, and those among them whose token was not seen yet: the rest is kept for callers. */
  connections: 5_000,
  strangers: { total: 2_000, perAddress: 1_000 },
  /** How long a connection may take to come with its token. */
  signInMs: 5_000,
  /** The largest message of a client: a token and little else. */
  messageBytes: 16 * KB,
  /** Messages of any kind: who sends more is cut off. */
  messages: { burst: 200, perSecond: 20 },
  /** Those that are looked up: who sends more is refused. */
  orders: { burst: 30, perSecond: 5 },
  /** The events of a building that a socket can resume from, and how long they are gathered with nobody there. */
  log: { events: 1_000, bytes: 8 * MB },
  lingerMs: 120_000,
  /** The pause after all were sent something: so many times as long as it took, or so long for each of them. */
  rest: { times: 1, aReaderMs: 0.02, mostMs: 100 },
  /** Sockets that are sent something in one go. */
  slice: 100,
  /** A socket is slow when so many bytes have waited for it for so long. */
  slow: { bytes: 256 * KB, ms: 1_000 },
  /** Or at once with so many. Sockets share the bytes of an event, polls have a copy each. */
  mostWaiting: { websocket: 32 * MB, polling: 2 * MB },
  /** A slow socket that takes nothing for so long is cut off. */
  stallMs: 30_000,
  /** What is sent to a slow socket at a time. */
  pieceBytes: 64 * KB,
  /** Events other than observations that wait for a slow socket. */
  others: { events: 1_000, bytes: 2 * MB },
}

export type LiveLimits = typeof LIVE_LIMITS
