import { appConfig } from '@storey/web/app-config'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

export default defineConfig({ ...appConfig(import.meta.dirname), plugins: [react()] })
