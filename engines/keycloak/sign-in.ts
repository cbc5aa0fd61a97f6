import type { Page } from 'playwright-core'

/** Signs in on the page of Keycloak. If `newPassword` is given, it replaces the temporary password. */
export async function signInAtKeycloak(
  page: Page,
  { email, password, newPassword }: { email: string; password: string; newPassword?: string },
): Promise<void> {
  await page.locator('#username').fill(email)
  await page.locator('#password').fill(password)
  await page.locator('#kc-login').click()
  if (newPassword === undefined) return
  await page.locator('#password-new').fill(newPassword)
  await page.locator('#password-confirm').fill(newPassword)
  await page.locator('#kc-form-buttons [type=submit], input[type=submit], button[type=submit]').first().click()
}
