// The exports for pages outside of the portal and the shell, such as the API reference. None is a React component.
export { currentLocale } from '../i18n/locale.ts'
export { defineTexts, type Translate, translator } from '../i18n/texts.ts'
export { loadConfig } from '../queries/load-config.ts'
export { openVisitor, type Visitor } from './open-session.ts'
export type { Session } from './session.ts'
