/** The named parts of the path, such as `id` of `/rooms/:id`. */
export interface PageProps {
  params: Readonly<Record<string, string>>
}
