/** `params` are the parameters of the path, such as `id` in `/rooms/:id`. */
export interface PageProps {
  params: Readonly<Record<string, string>>
}
