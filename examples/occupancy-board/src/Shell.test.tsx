import { type Platform, PlatformProvider, testPlatform } from '@storey/sdk/module'
import { act, cleanup, fireEvent, render, screen, within } from '@testing-library/react'
import { afterEach, expect, it } from 'vitest'
import Shell from './Shell.tsx'
import { samplePlatform } from './sample.ts'

afterEach(cleanup)

const show = (platform: Platform) =>
  render(
    <PlatformProvider value={platform}>
      <Shell />
    </PlatformProvider>,
  )
const rowOf = async (name: string) => (await screen.findByRole('rowheader', { name })).closest('tr')!
const names = () => screen.getAllByRole('rowheader').map((cell) => cell.textContent)

it('shows the number of people in each room and in the building', async () => {
  show(samplePlatform().platform)
  expect(await screen.findByRole('heading', { name: 'Test building' })).toBeTruthy()
  expect((await rowOf('Oak')).textContent).toContain('Filling5 of 12')
  expect((await rowOf('Ash')).textContent).toContain('Full6 of 6')
  expect((await rowOf('Workshop')).textContent).toContain('In usenumber unknown, 24 places')
  expect((await rowOf('Attic')).textContent).toContain('Unknown10 places')
  expect(screen.queryByRole('rowheader', { name: 'Corridor' })).toBeNull()
  // The booth has no counter, but it is known to be empty, so it counts too.
  expect(screen.getByText('counted in 4 of 6 rooms')).toBeTruthy()
})

it('updates when sensors and access points report', async () => {
  const { platform, report, sense } = samplePlatform()
  show(platform)
  await rowOf('Elm')
  act(() => report('Elm', '3'))
  expect(await screen.findByText('3 of 8')).toBeTruthy()
  act(() => sense('Workshop', 11))
  expect(await screen.findByText('11 of 24')).toBeTruthy()
  expect((await rowOf('Workshop')).textContent).toContain('Filling')
})

it('filters by state and storey, and sorts by a column', async () => {
  show(samplePlatform().platform)
  await rowOf('Elm')
  fireEvent.click(within(screen.getByRole('group', { name: 'Rooms by state' })).getByRole('button', { name: /^Free/ }))
  expect(names()).toEqual(['Booth 1', 'Elm'])
  fireEvent.click(screen.getByRole('button', { name: /^Storey 1/ }))
  expect(names()).toEqual(['Booth 1'])
  fireEvent.click(screen.getByRole('button', { name: 'Clear filters' }))
  fireEvent.click(screen.getByRole('button', { name: 'Room' }))
  expect(names()).toEqual(['Ash', 'Attic', 'Booth 1', 'Elm', 'Oak', 'Workshop'])
  expect(screen.getByRole('columnheader', { name: 'Room' }).getAttribute('aria-sort')).toBe('ascending')
})

it('shows the state as unknown, with a notice, when the building has sent no data for a long time', async () => {
  show(samplePlatform({ at: Date.now() - 3 * 3_600_000 }).platform)
  expect((await rowOf('Oak')).textContent).toContain('Unknown5 of 12, last known')
  // Times are shown in the time zone of the building, Berlin.
  await screen.findByRole('heading', { name: 'Test building' })
  expect((await rowOf('Oak')).querySelector('td[title]')?.getAttribute('title')).toMatch(/GMT\+[12]$|CES?T$/)
  expect(screen.getByText(/^The last data of the building arrived 3 hr\. ago/)).toBeTruthy()
})

it('supports Russian and the dark theme', async () => {
  show(samplePlatform({ locale: 'ru', theme: 'dark' }).platform)
  expect((await rowOf('Oak')).textContent).toContain('Заполняется5 из 12')
  expect(screen.getByText('6 помещений')).toBeTruthy()
  expect(screen.getByRole('main').dataset.theme).toBe('dark')
})

it('shows the error, and loads again on request', async () => {
  const { platform } = samplePlatform()
  const broken = testPlatform()
  let isBroken = true
  const client = {
    ...platform.client,
    building: (id: string) => (isBroken ? broken.client : platform.client).building(id),
  }
  show({ ...platform, client })
  expect((await screen.findByRole('alert')).textContent).toContain('The board could not be loaded')
  isBroken = false
  fireEvent.click(screen.getByRole('button', { name: 'Try again' }))
  await rowOf('Elm')
})
