import { type AddressInfo, createServer } from 'node:net'
import { Aedes } from 'aedes'

export interface BrokerRules {
  /** Whether clients may publish to a topic. A client that publishes to any other topic is disconnected. */
  mayPublish?(topic: string): boolean
}

/** An operator's own broker: it checks passwords, stores sessions, and knows nothing about sandboxes. */
export async function startExternalBroker(accounts: Record<string, string>, rules: BrokerRules = {}, port = 0) {
  const broker = await Aedes.createBroker({
    authenticate: (_client, username, password, done) =>
      done(null, username !== undefined && accounts[username] === password?.toString()),
    authorizePublish: (_client, packet, done) =>
      done(rules.mayPublish?.(packet.topic) === false ? new Error('not allowed') : null),
  })
  const filters = new Set<string>()
  broker.on('subscribe', (subscriptions) => {
    for (const { topic } of subscriptions) filters.add(topic)
  })
  const server = createServer(broker.handle)
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  return {
    url: new URL(`mqtt://127.0.0.1:${(server.address() as AddressInfo).port}`),
    /** Whether a client has subscribed to the filter. A message that was published before the subscription is lost. */
    isSubscribed: (filter: string): boolean => filters.has(filter),
    sessions: (): string[] => Object.keys((broker as unknown as { clients: object }).clients),
    clients: () => broker.connectedClients,
    async stop() {
      await new Promise<void>((resolve) => broker.close(() => resolve()))
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}
