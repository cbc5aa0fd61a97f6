import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { expectAccessible, type Visit } from './browser.ts'
import { useConsole } from './console.ts'

type Node = { id: string; name: string; spaceId: string | null; elementId: string; pointType: string; unit: string }

describe('values over time in the shell', () => {
  const building = { storeys: 1, spacesMin: 14, spacesMax: 18, equipmentDensity: 'dense', seed: 'time' }
  const { connection, visitAs, send } = useConsole({ name: 'Time', ...building, seedTelemetryDays: 2 })
  let visit: Visit
  let page: Page
  let graph: { elements: Node[]; points: Node[] }
  const queries: { pointIds: string[]; aggregation: string; interval: string }[] = []

  const spaceOf = ({ elementId }: Node) => graph.elements.find(({ id }) => id === elementId)?.spaceId ?? undefined
  const param = (name: string) => new URL(page.url()).searchParams.get(name)
  const descriptions = () =>
    page.locator('[data-room]').evaluateAll((rooms) => rooms.map((room) => room.getAttribute('aria-label') ?? ''))

  beforeAll(async () => {
    graph = await send('/graph')
    const smoke = graph.points.find((point) => point.name === 'Smoke alarm' && spaceOf(point))!
    await send('/telemetry/observations', { observations: [{ pointId: smoke.id, value: '1' }] })
    visit = await visitAs({
      email: 'vera@time.example',
      path: '/plan',
      onPage: (opened) =>
        opened.on('request', (request) => {
          if (request.url().endsWith('/telemetry/query')) queries.push(request.postDataJSON())
        }),
    })
    page = visit.page
    await page.getByLabel('Colour by').waitFor()
  })

  it('[TIM-02] replays a day of the plan with one call, and keeps range and moment in the address', async () => {
    await page.getByRole('button', { name: 'Replay' }).click()
    await page.getByRole('button', { name: 'Pause' }).waitFor()
    expect(queries).toMatchObject([{ aggregation: 'avg', interval: '5m' }])
    const clock = page.getByRole('region', { name: 'Replay' }).locator('time')
    const first = await clock.textContent()
    await expect.poll(() => clock.textContent()).not.toBe(first)
    await page.getByRole('button', { name: 'Pause' }).click()
    await expect.poll(() => param('at')).not.toBeNull()
    const [moment, shown] = [param('at')!, await clock.textContent()]
    await page.getByRole('button', { name: 'One step forward' }).click()
    await expect.poll(() => param('at')).toBe(new Date(Date.parse(moment) + 300_000).toISOString())

    // The value of a room is the average of the interval that the address names.
    const pointId = queries[0]!.pointIds[0]!
    const at = new Date(Date.parse(moment) + 300_000)
    const range = `from=${at.toISOString()}&to=${new Date(at.getTime() + 300_000).toISOString()}`
    const { data } = await send(`/telemetry/observations?pointId=${pointId}&${range}&aggregation=avg&interval=5m`)
    const room = page.locator(`[data-room="${spaceOf(graph.points.find(({ id }) => id === pointId)!)}"]`)
    const value: number = data[0].value
    await expect
      .poll(() => room.getAttribute('aria-label'))
      .toContain(`${(Math.round(value * 10 + 1e-6) / 10).toFixed(1)} °C`)
    await expectAccessible(page)

    await page.goto(`${connection.apiUrl}/plan?replay=day&at=${moment}`)
    await expect.poll(() => clock.textContent()).toBe(shown)
    await page.getByRole('button', { name: '7 days' }).click()
    await expect.poll(() => queries.at(-1)!.interval).toBe('30m')
    expect([param('replay'), param('at')]).toEqual(['week', moment])
  })

  it('[TIM-03] jumps to a fault, and marks it only while it was active', async () => {
    const isMarked = async () => (await descriptions()).some((text) => text.includes('Fault: Alarm: Smoke alarm'))
    await expect.poll(isMarked).toBe(false)
    const next = page.getByRole('button', { name: 'Next fault' })
    await next.click()
    await page.getByRole('region', { name: 'Replay' }).getByText('Alarm: Smoke alarm').waitFor()
    await expect.poll(isMarked).toBe(true)
    await page.getByRole('slider', { name: 'Time of the replay' }).focus()
    await page.keyboard.press('Home')
    await expect.poll(isMarked).toBe(false)
    await page.getByRole('button', { name: 'Back to live values' }).click()
    await expect.poll(isMarked).toBe(true)
    expect([param('replay'), param('at')]).toEqual([null, null])
  })

  it('[TIM-07] shows the values of the room at the time of the replay', async () => {
    // The panel lists at most twelve points, sensors first.
    const sensors = Map.groupBy(
      graph.points.filter(({ pointType }) => pointType === 'SENSOR'),
      (one) => spaceOf(one) ?? '',
    )
    const isListed = (one: Node) => (sensors.get(spaceOf(one) ?? '')?.length ?? 0) <= 12
    const point = graph.points.find((one) => one.name === 'Zone temperature' && spaceOf(one) && isListed(one))!
    const at = new Date(Math.floor((Date.now() - 20 * 3_600_000) / 300_000) * 300_000)
    const range = `from=${at.toISOString()}&to=${new Date(at.getTime() + 300_000).toISOString()}`
    const { data } = await send(`/telemetry/observations?pointId=${point.id}&${range}&aggregation=avg&interval=5m`)
    await page.goto(`${connection.apiUrl}/plan?replay=day&at=${at.toISOString()}&room=${spaceOf(point)}`)
    const panel = page.getByRole('complementary')
    await panel.getByRole('heading', { name: /^Values at/ }).waitFor()
    const shown = panel.locator(`[data-point="${point.id}"]`)
    const value: number = data[0].value
    await expect.poll(() => shown.textContent()).toBe(`${(Math.round(value * 10 + 1e-6) / 10).toFixed(1)}\u00a0°C`)
    await page.getByRole('button', { name: 'Back to live values' }).click()
    await panel.getByRole('heading', { name: 'Values', exact: true }).waitFor()
    visit.expectNoErrors()
  })

  it('[TIM-04, TIM-05] compares a room with its setpoint, and keeps points and range in the address', async () => {
    const setpoint = graph.points.find((point) => point.pointType === 'SETPOINT' && zoneOf(point))!
    const zone = zoneOf(setpoint)!
    await page.goto(`${connection.apiUrl}/points/${zone.id}`)
    await page.getByRole('button', { name: `Add ${setpoint.name}` }).click()
    const keys = page.getByRole('list', { name: 'Points of the chart' })
    await keys.getByText(setpoint.name).waitFor()
    expect(param('with')).toBe(setpoint.id)
    await page.getByRole('button', { name: '7 days' }).click()
    await page.getByText('band from minimum to maximum').waitFor()
    expect(param('range')).toBe('week')
    await page.reload()
    await keys.getByText(setpoint.name).waitFor()
    await page.locator('canvas').waitFor()
    await expectAccessible(page)
    const field = page.getByRole('combobox', { name: 'Compare with' })
    await field.fill('Zone temperature')
    await page.getByRole('listbox', { name: 'Compare with' }).getByRole('option').first().click()
    await expect.poll(() => keys.getByRole('listitem').count()).toBe(3)
    await page.getByRole('button', { name: 'Table' }).click()
    await page.getByRole('columnheader', { name: setpoint.name }).waitFor()
    await keys.getByRole('button', { name: `Remove ${setpoint.name}` }).click()
    await expect.poll(() => keys.getByRole('listitem').count()).toBe(2)
  })

  it('[TIM-06] draws a meter as consumption per hour', async () => {
    const meter = graph.points.find(({ name, unit }) => name === 'Energy' && unit === 'KiloW-HR')!
    await page.goto(`${connection.apiUrl}/points/${meter.id}`)
    await page.getByRole('heading', { name: 'Energy, kWh per hour' }).waitFor()
    await page.locator('canvas').waitFor()
    expect(queries.at(-1)).toMatchObject({ pointIds: [meter.id], aggregation: 'delta', interval: '1h' })
    await expectAccessible(page)
    visit.expectNoErrors()
  })

  const zoneOf = (setpoint: Node) =>
    graph.points.find(
      (point) => point.name === 'Zone temperature' && spaceOf(point) && spaceOf(point) === spaceOf(setpoint),
    )
})
