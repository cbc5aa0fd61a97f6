import { chmodSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { startEmbeddedPostgres } from '@storey/kit/embedded-postgres'
import { silentLog } from '@storey/kit/log'
import { temporaryFolder } from '@storey/kit/testing/temporary-folder'
import pg from 'pg'
import { endRuns } from '../../packages/provisioning/src/testing/shared-runtime.ts'
import { freePort, type System, startSystem } from '../system/system.ts'
import { startBalancer } from './balancer.ts'

/**
 * Starts several control planes on one PostgreSQL server, behind a load balancer at the public address of the service.
 */
export async function startPlanes(count: number, further: Record<string, string> = {}) {
  const folder = temporaryFolder('storey-planes')
  chmodSync(folder, 0o711)
  mkdirSync(join(folder, 'runs'))
  const postgres = await startEmbeddedPostgres({
    folder: join(folder, 'postgres'),
    password: 'secret',
    log: silentLog,
    settings: { max_connections: '200', fsync: 'off', full_page_writes: 'off' },
  })
  const db = new pg.Client(postgres.url)
  await db.connect()
  await db.query('create database control')
  await db.end()
  const databaseUrl = new URL(postgres.url)
  databaseUrl.pathname = '/control'
  const control = new pg.Client(databaseUrl.href)
  await control.connect()

  const ports = await Promise.all(Array.from({ length: count }, freePort))
  const mqttPorts = await Promise.all(Array.from({ length: count }, freePort))
  const publicPort = await freePort()
  const publicUrl = `http://localhost:${publicPort}`

  const start = (index: number) =>
    startSystem({
      port: ports[index]!,
      program: 'acceptance/planes/plane.ts',
      dataDir: join(folder, `data-${index}`),
      env: {
        DATABASE_URL: databaseUrl.href,
        MASTER_SECRET: 'p'.repeat(40),
        PUBLIC_URL: publicUrl,
        // The Host header of the balancer's health checks names a control plane and not the public address. So control
        // planes answer them only because the balancer's address is listed here.
        HEALTH_CHECK_RANGES: '127.0.0.1',
        PLANES_FOLDER: folder,
        MQTT_PORT: String(mqttPorts[index]),
        RATE_LIMIT_PER_MINUTE: '0',
        SANDBOX_RATE_LIMIT_PER_MINUTE: '0',
        MAX_ACTIVE_SANDBOXES: '50',
        ...further,
      },
    })
  // Control planes and stacks fetch the keys of the realms from the public address, so the balancer starts first.
  const balancer = await startBalancer(publicPort, ports)
  const planes: System[] = []
  for (let i = 0; i < count; i++) planes.push(await start(i))

  return {
    /** The service at the address of the load balancer. */
    all: { url: publicUrl, env: planes[0]!.env },
    /** The service at the address of one control plane. */
    at: (index: number) => ({ url: planes[index]!.url, env: planes[index]!.env }),
    planes,
    mqttPorts,
    folder,
    control,
    async restart(index: number): Promise<void> {
      await planes[index]!.stop()
      planes[index] = await start(index)
    },
    async startAgain(index: number): Promise<void> {
      planes[index] = await start(index)
    },
    /** The index of the control plane that holds the lease of the leader; -1 if none does. */
    async leader(): Promise<number> {
      const { rows } = await control.query(
        'select p.pid from control_lease l join control_planes p on p.id = l.lease_holder where l.leased_until > now()',
      )
      return planes.findIndex(({ pid }) => pid === rows[0]?.pid)
    },
    async close(): Promise<void> {
      for (const plane of planes) {
        try {
          process.kill(plane.pid, 'SIGCONT')
        } catch {
          // It has ended.
        }
        await plane.remove()
      }
      await endRuns(join(folder, 'runs'))
      await balancer.close()
      await control.end()
      await postgres.stop()
    },
  }
}

export type Planes = Awaited<ReturnType<typeof startPlanes>>
