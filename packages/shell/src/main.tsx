import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'

createRoot(document.getElementById('app')!).render(
  <StrictMode>
    <h1>Storey</h1>
  </StrictMode>,
)
