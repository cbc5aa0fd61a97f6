const KB = 1024
const MB = 1024 * KB

/** The limits of one stack. */
export const LIVE_LIMITS = {
  /** All connections, and how many of them may be without a token: the difference is reserved for callers. */
  connections: 5_000,
  unauthenticated: { total: 2_000, perAddress: 1_000 },
  /** How long a connection may take to send its token. */
  signInMs: 5_000,
  /** The largest message of a client: a token and little else. */
  messageBytes: 16 * KB,
  /** Messages of any kind. A connection that sends more is closed. */
  messages: { burst: 200, perSecond: 20 },
  /**
   * Messages before the sign-in: a client changes to a WebSocket with two messages and sends a token to each namespace.
   */
  firstMessages: { burst: 10, perSecond: 1 },
  /**
   * Frames of a WebSocket: messages or their parts, pings and pongs. A WebSocket that sends more is terminated. A turn
   * of the event loop reads from at most `tasks` WebSockets, and for at most `ms`.
   */
  frames: {
    beforeSignIn: { burst: 20, perSecond: 2 },
    afterSignIn: { burst: 400, perSecond: 40 },
    turn: { tasks: 50, ms: 10 },
  },
  /**
   * The maximum number of messages, such as acknowledgements, that wait for a client. Beyond that its connection is
   * closed.
   */
  unread: 10_000,
  /** Commands of a connection. Further ones are refused. */
  commands: { burst: 30, perSecond: 5 },
  /** How many of the latest events of a building are kept, so that a socket can resume from them. */
  log: { events: 1_000, bytes: 8 * MB },
  /** How long a channel and its events are kept after its last socket has left. */
  lingerMs: 120_000,
  /**
   * The pause after a flush: `times` the duration of the flush, or `perReaderMs` for each socket if that is longer; at
   * most `maxMs`.
   */
  pause: { times: 1, perReaderMs: 0.02, maxMs: 100 },
  /**
   * While most clients have not read the earlier events, events wait in the channel: at most this many bytes, for at
   * most this long. Clients are checked every `checkMs`.
   */
  waiting: { bytes: 4 * MB, ms: 2_000, checkMs: 20 },
  /** Changes of data within this time are one event of the namespace `/changes`. */
  changesMs: 250,
  /** The maximum number of sockets to which events are sent in one turn of the event loop. */
  slice: 100,
  /** A socket is slow when this many bytes have waited for this long. */
  slow: { bytes: 256 * KB, ms: 1_000 },
  /**
   * A socket with this many waiting bytes counts as slow at once. WebSockets share the bytes of an event; polls copy
   * them, so all polls of a building together have a limit too, and each has an equal share of it.
   */
  maxWaiting: { websocket: 32 * MB, polling: 2 * MB, allPolls: 64 * MB },
  /** A socket that is slow or resumes is closed when it reads nothing for this long. */
  stallMs: 30_000,
  /** The same for a slow socket while others wait until its message is written. */
  stallWhileOthersWaitMs: 5_000,
  /** How many bytes are sent at a time to a socket that resumes. */
  pieceBytes: 64 * KB,
  /** How many bytes are on their way to slow sockets at the same time. Sockets share the bytes of a message. */
  slowBytes: 8 * MB,
  /** Events other than observations that wait for a slow socket. */
  others: { events: 1_000, bytes: 2 * MB },
}

export type LiveLimits = typeof LIVE_LIMITS
