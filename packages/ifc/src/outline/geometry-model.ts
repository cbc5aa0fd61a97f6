import { closeSync, openSync, readSync } from 'node:fs'
import type * as WebIfc from 'web-ifc'
import { familyOf } from '../schema/schema.ts'
import type { StepFile } from '../step/read-step-file.ts'
import type { StoreyFrame } from '../structure/placements.ts'
import { loadWebIfc } from '../web-ifc.ts'
import type { Triangles } from './floor-outline.ts'

export type DataOfFile = Pick<StepFile, 'schema' | 'dataFrom' | 'dataTo'>

// With 32 segments a round room of ten metres in diameter deviates from its circle by 24 millimetres.
const SETTINGS = { COORDINATE_TO_ORIGIN: false, CIRCLE_SEGMENTS: 32 }

const FOOTER = Buffer.from('\nEND-ISO-10303-21;\n')

/** Opens the model in web-ifc, or returns null if web-ifc cannot open it. */
export async function openGeometry(path: string, data: DataOfFile): Promise<GeometryModel | null> {
  const { IfcAPI, LogLevel } = loadWebIfc()
  const api = new IfcAPI()
  const file = openSync(path, 'r')
  try {
    await api.Init(undefined, true)
    api.SetLogLevel(LogLevel.LOG_LEVEL_OFF)
    const model = api.OpenModelFromCallback(dataReader(file, data), SETTINGS)
    return model < 0 ? null : new GeometryModel(api, model)
  } catch {
    return null
  } finally {
    closeSync(file)
  }
}

/** A model opened in web-ifc, for the shapes of its rooms. */
export class GeometryModel {
  readonly #api: WebIfc.IfcAPI
  readonly #model: number

  constructor(api: WebIfc.IfcAPI, model: number) {
    this.#api = api
    this.#model = model
  }

  /** The surface of a room in the coordinates of its storey, as a list of triangles for each solid of the room. */
  triangles(space: number, frame: StoreyFrame): Triangles[] {
    const solids: Triangles[] = []
    this.#api.StreamMeshes(this.#model, [space], (mesh) => {
      for (let at = 0; at < mesh.geometries.size(); at++) {
        const { geometryExpressID, flatTransformation } = mesh.geometries.get(at)
        const geometry = this.#api.GetGeometry(this.#model, geometryExpressID)
        const vertices = this.#api.GetVertexArray(geometry.GetVertexData(), geometry.GetVertexDataSize())
        const corners = this.#api.GetIndexArray(geometry.GetIndexData(), geometry.GetIndexDataSize())
        geometry.delete()
        solids.push(placed(vertices, corners, flatTransformation, frame))
      }
    })
    return solids
  }
}

/**
 * Reads the data sections for web-ifc, with a new header and a new end. The header has the short name of the schema,
 * because web-ifc knows only the short names. All text after the data sections is left out, because `readStepFile` does
 * not check the syntax of the text after END-ISO-10303-21.
 */
function dataReader(file: number, { schema, dataFrom, dataTo }: DataOfFile): (at: number, size: number) => Uint8Array {
  const head = Buffer.from(
    `ISO-10303-21;\nHEADER;\nFILE_DESCRIPTION((''),'2;1');\nFILE_NAME('','',(''),(''),'','','');\n` +
      `FILE_SCHEMA(('${familyOf(schema)}'));\nENDSEC;\n`,
  )
  const footerAt = head.length + dataTo - dataFrom
  return (at, size) => {
    const bytes = Buffer.alloc(Math.max(0, Math.min(size, footerAt + FOOTER.length - at)))
    if (at < head.length) head.copy(bytes, 0, at)
    const from = Math.max(at, head.length)
    const to = Math.min(at + bytes.length, footerAt)
    if (to > from) readSync(file, bytes, from - at, to - from, dataFrom + from - head.length)
    if (at + bytes.length > footerAt) FOOTER.copy(bytes, Math.max(0, footerAt - at), Math.max(0, at - footerAt))
    return bytes
  }
}

/** web-ifc returns metres with the y axis up, and six numbers per vertex, of which the last three are its normal. */
function placed(vertices: Float32Array, corners: Uint32Array, matrix: number[], frame: StoreyFrame): Triangles {
  const triangles = new Float64Array(3 * corners.length)
  const [cos, sin] = [Math.cos(frame.rotation), Math.sin(frame.rotation)]
  const row = (index: number, x: number, y: number, z: number): number =>
    matrix[index]! * x + matrix[index + 4]! * y + matrix[index + 8]! * z + matrix[index + 12]!
  for (let at = 0; at < corners.length; at++) {
    const [x, y, z] = [0, 1, 2].map((axis) => vertices[6 * corners[at]! + axis]!) as [number, number, number]
    const east = row(0, x, y, z) - frame.xM
    const north = -row(2, x, y, z) - frame.yM
    triangles[3 * at] = cos * east + sin * north
    triangles[3 * at + 1] = cos * north - sin * east
    triangles[3 * at + 2] = row(1, x, y, z) - frame.zM
  }
  return triangles
}
