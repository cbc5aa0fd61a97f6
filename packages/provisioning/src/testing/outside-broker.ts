import { type AddressInfo, createServer } from 'node:net'
import { Aedes } from 'aedes'

/** A broker as an operator might run one: it knows passwords, keeps sessions, and nothing of sandboxes. */
export async function startOutsideBroker(accounts: Record<string, string>) {
  const broker = await Aedes.createBroker({
    authenticate: (_client, username, password, done) =>
      done(null, username !== undefined && accounts[username] === password?.toString()),
  })
  const subscribed = new Promise<void>((resolve) => broker.once('subscribe', () => resolve()))
  const server = createServer(broker.handle)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: new URL(`mqtt://127.0.0.1:${(server.address() as AddressInfo).port}`),
    /** Settles with the first subscription: messages before that go nowhere. */
    subscribed,
    clients: () => broker.connectedClients,
    async stop() {
      await new Promise<void>((resolve) => broker.close(() => resolve()))
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}
