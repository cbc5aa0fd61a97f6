import { PlatformProvider } from '@storey/sdk/module'
import { createRoot } from 'react-dom/client'
import Shell from './Shell.tsx'
import { samplePlatform } from './sample.ts'

const theme = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light'
const { platform, report, sensors } = samplePlatform({ theme })
document.documentElement.style.colorScheme = theme

setInterval(() => {
  for (const { id, value } of sensors) report(id, String(Number(value) * (0.95 + Math.random() / 10)))
}, 2000)

createRoot(document.getElementById('root')!).render(
  <PlatformProvider value={platform}>
    <Shell />
  </PlatformProvider>,
)
