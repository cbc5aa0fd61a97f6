import type { ModuleRecord } from '@storey/sdk'
import { useWords } from '@storey/web'
import type { ModuleFailure } from './open-module.ts'
import { originOf } from './remote-address.ts'
import { moduleWords } from './words.ts'

interface Context {
  slug: string
  module: ModuleRecord | undefined
  platformVersion: string
  /** The origin of this page. */
  page: string
}

interface FailureTexts {
  title: string
  text: string
  mend: string
  /** Lines for a terminal. */
  commands: string
  /** What the code itself said. */
  message?: string
}

const SERVE = 'npm run serve:remote'
const INSTALL = 'svc sandbox install manifest.json --sandbox=<id>'
const DOCTOR = 'svc module doctor --sandbox=<id>'

/** What a failure means to the one who wrote the module, and what they do about it. */
export function useFailureTexts(failure: ModuleFailure, context: Context): FailureTexts {
  const t = useWords(moduleWords)
  const { slug, module, platformVersion, page } = context
  const name = module?.name ?? slug
  const url = module?.remoteEntryUrl ?? ''
  const origin = originOf(url)
  const exposeName = module?.exposeName ?? ''
  switch (failure.kind) {
    case 'missing':
      return {
        title: t('missing', { slug }),
        text: t('missingText'),
        mend: t('missingMend'),
        commands: INSTALL,
      }
    case 'incompatible':
      return {
        title: t('incompatible', { name }),
        text: t('incompatibleText', { sdkVersion: module?.sdkVersion ?? '', platformVersion }),
        mend: t('incompatibleMend', { platformVersion }),
        commands: `npm run build\n${INSTALL}`,
      }
    case 'refused':
      return {
        title: t('refused'),
        text: t('refusedText', { url }),
        mend: t('refusedMend'),
        commands: `${SERVE}\n${INSTALL}`,
      }
    case 'down':
      return {
        title: t('down', { origin }),
        text: t('downText', { url }),
        mend: t('downMend'),
        commands: `${SERVE}\n${DOCTOR}`,
      }
    case 'redirects':
      return {
        title: t('redirects', { origin }),
        text: t('redirectsText', { url }),
        mend: t('redirectsMend'),
        commands: `${SERVE}\n${DOCTOR}`,
        ...(failure.to === undefined ? {} : { message: failure.to }),
      }
    case 'noCors':
      return {
        title: t('noCors', { origin }),
        text: t('noCorsText', { url, page }),
        mend: t('noCorsMend'),
        commands: `SVC_CONSOLE_URL=${page} ${SERVE}`,
      }
    case 'devServer':
      return {
        title: t('devServer'),
        text: t('devServerText', { origin }),
        mend: t('devServerMend'),
        commands: SERVE,
      }
    case 'noEntry':
      if (failure.status >= 500)
        return {
          title: t('badAnswer', { origin }),
          text: t('noEntryText', { url, status: String(failure.status) }),
          mend: t('badAnswerMend'),
          commands: `${SERVE}\n${DOCTOR}`,
        }
      return {
        title: t('noEntry'),
        text: t('noEntryText', { url, status: String(failure.status) }),
        mend: t('noEntryMend'),
        commands: `npm run build\n${DOCTOR}`,
      }
    case 'notJavaScript':
      return {
        title: t('notJavaScript'),
        text: t('notJavaScriptText', { url, type: failure.contentType || '?' }),
        mend: t('notJavaScriptMend'),
        commands: `${SERVE}\n${DOCTOR}`,
      }
    case 'broken':
      return {
        title: t('broken'),
        text: t('brokenText', { url }),
        mend: t('brokenMend'),
        commands: SERVE,
        message: failure.message,
      }
    case 'noContainer':
      return {
        title: t('noContainer'),
        text: t('noContainerText', { url }),
        mend: t('noContainerMend'),
        commands: SERVE,
      }
    case 'notExposed':
      return {
        title: t('notExposed', { exposeName }),
        text: t('notExposedText', { url, exposeName }),
        mend: t('notExposedMend'),
        commands: SERVE,
      }
    case 'noComponent':
      return {
        title: t('noComponent', { exposeName }),
        text: t('noComponentText', { exposeName }),
        mend: t('noComponentMend'),
        commands: SERVE,
      }
    case 'throwsLoading':
      return {
        title: t('throwsLoading', { name }),
        text: t('throwsLoadingText'),
        mend: t('throwsLoadingMend'),
        commands: SERVE,
        message: failure.message,
      }
    case 'throwsRendering':
      return {
        title: t('throwsRendering', { name }),
        text: t('throwsRenderingText'),
        mend: t('throwsRenderingMend'),
        commands: SERVE,
        message: failure.message,
      }
  }
}
