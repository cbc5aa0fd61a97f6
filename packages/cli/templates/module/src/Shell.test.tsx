import { PlatformProvider } from '@storey/sdk/module'
import { act, render, screen } from '@testing-library/react'
import { expect, it } from 'vitest'
import Shell from './Shell.tsx'
import { samplePlatform } from './sample.ts'

it('shows the building and the current values of its sensors', async () => {
  const { platform, report } = samplePlatform()
  render(
    <PlatformProvider value={platform}>
      <Shell />
    </PlatformProvider>,
  )
  expect(await screen.findByRole('heading', { name: 'Test building' })).toBeTruthy()
  expect(await screen.findByText('21.5')).toBeTruthy()
  expect(screen.getAllByText('Sensor in room 101')).toHaveLength(2)
  act(() => report('air', '23.04'))
  expect(await screen.findByText('23')).toBeTruthy()
})
