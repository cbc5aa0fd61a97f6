import { PASSWORD_LENGTH } from '../accounts/passwords.ts'
import type { Context } from '../realm/koa.ts'

export const LOCALES = ['en', 'ru'] as const
export type Locale = (typeof LOCALES)[number]

const { min, max } = PASSWORD_LENGTH

function waitInEnglish(seconds: number): string {
  const [n, unit] = seconds < 60 ? [seconds, 'second'] : [Math.ceil(seconds / 60), 'minute']
  return `${n} ${unit}${n === 1 ? '' : 's'}`
}

/** The texts of the pages. */
const en = {
  signInTo: (client: string) => `Sign in to ${client}`,
  email: 'Email',
  password: 'Password',
  signIn: 'Sign in',
  cancel: 'Cancel',
  wrongPassword: 'The email or the password is wrong.',
  tooManyAttempts: (seconds: number) => `Too many attempts. Wait ${waitInEnglish(seconds)} and try again.`,
  choosePassword: 'Choose a password',
  choosePasswordText: `The password you were given works once. Choose your own, with at least ${min} characters.`,
  newPassword: 'New password',
  newPasswordAgain: 'New password again',
  saveAndSignIn: 'Save and sign in',
  passwordsDiffer: 'The two passwords differ.',
  passwordIsOld: 'Choose another than the one you were given.',
  passwordFault: {
    short: `The password must have at least ${min} characters.`,
    long: `The password must have at most ${max} characters.`,
    address: 'The password must not contain your address.',
    alike: 'The password must have more different characters.',
  },
  allowClient: (client: string) => `Allow ${client}?`,
  asksTo: 'It asks to:',
  scopes: {
    openid: 'know who you are',
    email: 'see your email address',
    profile: 'see your name',
    offline_access: 'stay signed in while you are away',
  } as Record<string, string>,
  allow: 'Allow',
  refuse: 'Refuse',
  connectDevice: 'Connect a device',
  connectDeviceText: 'Enter the code that the device shows.',
  code: 'Code',
  continue: 'Continue',
  codeMissing: 'Enter the code first.',
  codeUnknown: 'There is no such code. Check it, or start again on the device.',
  codeExpired: 'The code has expired. Start again on the device.',
  codeUsed: 'The code has been used. Start again on the device.',
  deviceRefused: 'The device was refused. Nothing was connected.',
  devicePageExpired: 'This page has expired. Enter the code again.',
  tooManyCodes: 'Too many wrong codes',
  tooManyCodesText: 'Wait a few minutes, then start again on the device.',
  pageExpired: 'This page has expired',
  enterCodeAgain: 'Enter the code again.',
  deviceText: 'It will act for you until you sign it out, or until it has not been used for 30 days.',
  deviceTextFor: (email: string) =>
    `It will act for ${email} until you sign it out, or until it has not been used for 30 days.`,
  anotherAccount: 'Use another account',
  askedFrom: 'Asked from',
  program: 'Program',
  deviceCaution: 'Allow it only if you have just started this yourself, and your device shows the same code.',
  deviceDone: 'The device is connected',
  deviceDoneText: (client: string) => `${client} is signed in. You can close this page.`,
  signOutAsk: 'Sign out?',
  signOutText: 'You will have to sign in again to go on.',
  signOut: 'Sign out',
  stay: 'Stay signed in',
  signedOut: 'You are signed out',
  signedOutText: 'You can close this page.',
  oneMoreStep: 'One more step',
  signInExpired: 'This sign-in has expired',
  signInExpiredText: 'Go back to the application and start again.',
  goTo: (client: string) => `Go to ${client}`,
  ourFault: 'Something went wrong on our side',
  ourFaultText: 'Try again in a moment.',
  nothingHere: 'There is nothing here',
  nothingHereText: 'Check the address, or go back to the application.',
  notAnswered: 'This request cannot be answered',
  notAnsweredText: 'The application that sent you here asked for something that is not allowed.',
}

export type Words = typeof en

const pluralInRussian = new Intl.PluralRules('ru')
const MINUTES: Partial<Record<Intl.LDMLPluralRule, string>> = { one: 'минуту', few: 'минуты' }
const SECONDS: Partial<Record<Intl.LDMLPluralRule, string>> = { one: 'секунду', few: 'секунды' }

function waitInRussian(seconds: number): string {
  const minutes = Math.ceil(seconds / 60)
  return seconds < 60
    ? `${seconds} ${SECONDS[pluralInRussian.select(seconds)] ?? 'секунд'}`
    : `${minutes} ${MINUTES[pluralInRussian.select(minutes)] ?? 'минут'}`
}

const ru: Words = {
  signInTo: (client) => `Вход: ${client}`,
  email: 'Электронная почта',
  password: 'Пароль',
  signIn: 'Войти',
  cancel: 'Отмена',
  wrongPassword: 'Неверный адрес или пароль.',
  tooManyAttempts: (seconds) => `Слишком много попыток. Подождите ${waitInRussian(seconds)} и повторите.`,
  choosePassword: 'Задайте пароль',
  choosePasswordText: `Выданный пароль действует один раз. Задайте свой, не короче ${min} знаков.`,
  newPassword: 'Новый пароль',
  newPasswordAgain: 'Новый пароль ещё раз',
  saveAndSignIn: 'Сохранить и войти',
  passwordsDiffer: 'Пароли не совпадают.',
  passwordIsOld: 'Задайте другой пароль, а не выданный.',
  passwordFault: {
    short: `В пароле должно быть не меньше ${min} знаков.`,
    long: `В пароле должно быть не больше ${max} знаков.`,
    address: 'Пароль не должен содержать ваш адрес.',
    alike: 'В пароле должно быть больше разных знаков.',
  },
  allowClient: (client) => `Разрешить: ${client}?`,
  asksTo: 'Приложение хочет:',
  scopes: {
    openid: 'знать, кто вы',
    email: 'видеть адрес вашей почты',
    profile: 'видеть ваше имя',
    offline_access: 'оставаться в системе, пока вас нет',
  },
  allow: 'Разрешить',
  refuse: 'Отказать',
  connectDevice: 'Подключить устройство',
  connectDeviceText: 'Введите код, который показывает устройство.',
  code: 'Код',
  continue: 'Продолжить',
  codeMissing: 'Сначала введите код.',
  codeUnknown: 'Такого кода нет. Проверьте его или начните на устройстве заново.',
  codeExpired: 'Срок кода истёк. Начните на устройстве заново.',
  codeUsed: 'Код уже использован. Начните на устройстве заново.',
  deviceRefused: 'Устройству отказано. Ничего не подключено.',
  devicePageExpired: 'Страница устарела. Введите код ещё раз.',
  tooManyCodes: 'Слишком много неверных кодов',
  tooManyCodesText: 'Подождите несколько минут и начните на устройстве заново.',
  pageExpired: 'Страница устарела',
  enterCodeAgain: 'Введите код ещё раз.',
  deviceText:
    'Оно будет действовать от вашего имени, пока вы его не отключите или пока оно не пролежит 30 дней без дела.',
  deviceTextFor: (email) =>
    `Оно будет действовать от имени ${email}, пока вы его не отключите или пока оно не пролежит 30 дней без дела.`,
  anotherAccount: 'Войти под другой записью',
  askedFrom: 'Запрос с адреса',
  program: 'Программа',
  deviceCaution: 'Разрешайте, только если вы сами это начали и устройство показывает тот же код.',
  deviceDone: 'Устройство подключено',
  deviceDoneText: (client) => `Вход выполнен: ${client}. Страницу можно закрыть.`,
  signOutAsk: 'Выйти?',
  signOutText: 'Чтобы продолжить, придётся войти снова.',
  signOut: 'Выйти',
  stay: 'Остаться',
  signedOut: 'Вы вышли',
  signedOutText: 'Страницу можно закрыть.',
  oneMoreStep: 'Ещё один шаг',
  signInExpired: 'Время на вход истекло',
  signInExpiredText: 'Вернитесь в приложение и начните заново.',
  goTo: (client) => `Перейти: ${client}`,
  ourFault: 'На нашей стороне что-то сломалось',
  ourFaultText: 'Повторите через минуту.',
  nothingHere: 'Здесь ничего нет',
  nothingHereText: 'Проверьте адрес или вернитесь в приложение.',
  notAnswered: 'На этот запрос нельзя ответить',
  notAnsweredText: 'Приложение, из которого вы пришли, попросило то, чего нельзя.',
}

const WORDS: Record<Locale, Words> = { en, ru }
export const ENGLISH: Words = en

/** The language that `readLocale` found for the request. */
export const localeOf = (ctx: Context): Locale => (ctx.state.locale as Locale | undefined) ?? 'en'
export const wordsOf = (ctx: Context): Words => WORDS[localeOf(ctx)]

/** The first of our languages in a list of tags, such as `ru-RU en` (OpenID Connect Core, `ui_locales`). */
export function pickLocale(tags: string): Locale | undefined {
  return tags
    .toLowerCase()
    .split(/\s+/)
    .map((tag) => LOCALES.find((locale) => tag === locale || tag.startsWith(`${locale}-`)))
    .find((locale) => locale !== undefined)
}
