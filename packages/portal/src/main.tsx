import type { PortalConfig } from '@storey/contract'
import { applyTheme, loadConfig, Queries, Toasts } from '@storey/web'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app/app.tsx'
import { Unreachable } from './app/unreachable.tsx'
import '@storey/web/styles.css'
import './app/app.css'

applyTheme()
const root = createRoot(document.getElementById('app')!)
const config = await loadConfig<PortalConfig>().catch(() => undefined)
root.render(
  <StrictMode>
    <Queries>
      <Toasts>{config ? <App config={config} /> : <Unreachable />}</Toasts>
    </Queries>
  </StrictMode>,
)
