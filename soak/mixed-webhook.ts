import type { MixedPart, MixedSoak } from './mixed-part.ts'
import { openReceiver } from './receiver.ts'

/** A server that is notified of every value. */
export async function openWebhook({ connection, api }: MixedSoak): Promise<MixedPart> {
  const receiver = await openReceiver()
  const webhook = { url: receiver.url, events: ['building.point.updated'] }
  await api(`${connection.apiUrl}/api/v1/webhooks`, 201, { body: webhook })
  let before = -1
  async function checkReceiver(): Promise<void> {
    const earlier = before
    before = receiver.count()
    if (before === earlier) throw new Error('the webhook has received nothing since the last check')
  }
  return {
    tasks: [{ what: 'checks of the webhook', everyMs: 30_000, work: checkReceiver }],
    counted: () => `${receiver.count()} deliveries to the webhook`,
    close: receiver.close,
  }
}
