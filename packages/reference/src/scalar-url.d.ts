declare module '#scalar-url' {
  const url: string
  export default url
}
