import '@storey/web/styles.css'
import { applyTheme, Queries } from '@storey/web'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app/app.tsx'
import { preloadPage } from './routes.ts'

preloadPage(location.pathname)
applyTheme()
createRoot(document.getElementById('app')!).render(
  <StrictMode>
    <Queries>
      <App />
    </Queries>
  </StrictMode>,
)
