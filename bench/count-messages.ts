import { connectAsync } from 'mqtt'

/**
 * A subscriber that counts messages. It sends the count to its parent process when it has subscribed, and on request.
 */

const [url, topic] = process.argv.slice(2)
let count = 0
const client = await connectAsync(url!)
client.on('message', () => count++)
await client.subscribeAsync(topic!, { qos: 1 })
process.on('message', () => process.send!(count))
process.on('disconnect', () => process.exit(0))
process.send!(count)
