import { createServer } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { freePort } from './free-port.ts'

it('[CLI-51] chooses a higher port if another server listens on the first one', async () => {
  const holder = createServer()
  await new Promise<void>((resolve) => holder.listen(0, 'localhost', resolve))
  onTestFinished(() => void holder.close())
  const { port } = holder.address() as { port: number }
  expect(await freePort(port)).toBeGreaterThan(port)
})
