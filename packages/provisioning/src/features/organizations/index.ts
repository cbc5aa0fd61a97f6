export { createOrganizations, DEMO, type Organizations } from './organizations.ts'
