import type { NamedObjects, ThreadCaller } from "../http/thread-stub.ts";

/** Where objects are made and stay. */
export interface PlacementOptions {
  /**
   * Where new threads are made: a region, or what is told of the request that makes them. By default near the client, as far as
   * the platform knows where that is; undefined leaves it to the platform. A thread stays where it was made.
   */
  readonly location?:
    | DurableObjectLocationHint
    | ((request: Request) => DurableObjectLocationHint | undefined);
  /**
   * Where objects run and keep what they have, and nowhere else: of all tenants, or of each. It is a part of what an object is
   * found by: never change it for a tenant that has threads. Large values then lie in the bucket that is bound for it
   * ("BLOBS_EU" for "eu"), else in the objects themselves.
   */
  readonly jurisdiction?:
    | DurableObjectJurisdiction
    | ((tenant: string) => DurableObjectJurisdiction | undefined);
}

/** Objects by name, as the platform has them. */
export interface ObjectNamespace<Api> {
  getByName(name: string, options?: DurableObjectNamespaceGetDurableObjectOptions): Api;
  jurisdiction(jurisdiction: DurableObjectJurisdiction): ObjectNamespace<Api>;
}

export class Placement {
  readonly #options: PlacementOptions;

  constructor(options: PlacementOptions) {
    this.#options = options;
  }

  /** The objects of a tenant. */
  within<Api>(namespace: ObjectNamespace<Api>, tenant: string): ObjectNamespace<Api> {
    const jurisdiction = this.#jurisdictionOf(tenant);
    return jurisdiction === undefined ? namespace : namespace.jurisdiction(jurisdiction);
  }

  /** The objects of a tenant; those that are new are made where the request says. */
  near<Api>(namespace: ObjectNamespace<Api>, { tenant, request }: ThreadCaller): NamedObjects<Api> {
    const objects = this.within(namespace, tenant);
    const locationHint = request && this.#locationOf(request);
    if (locationHint === undefined) return objects;
    return { getByName: (name) => objects.getByName(name, { locationHint }) };
  }

  /**
   * The binding of the bucket for an object's large values. An object that was woken by its id does not know its name: then
   * `known` says whose it is. Undefined where nothing does: its values must not come to lie in another jurisdiction.
   */
  bucketOf(
    binding: string,
    { name, jurisdiction }: Pick<DurableObjectId, "name" | "jurisdiction">,
    known: () => string | undefined,
  ): string | undefined {
    const { jurisdiction: configured } = this.#options;
    if (jurisdiction !== undefined || configured === undefined) return bindingWithin(binding, jurisdiction);
    if (typeof configured === "string") return bindingWithin(binding, configured);
    const tenant = tenantIn(name) ?? known();
    return tenant === undefined ? undefined : bindingWithin(binding, this.#jurisdictionOf(tenant));
  }

  #jurisdictionOf(tenant: string): DurableObjectJurisdiction | undefined {
    const { jurisdiction } = this.#options;
    return typeof jurisdiction === "function" ? jurisdiction(tenant) : jurisdiction;
  }

  #locationOf(request: Request): DurableObjectLocationHint | undefined {
    const { location = nearClient } = this.#options;
    return typeof location === "function" ? location(request) : location;
  }
}

/** As `objectName` has made the name. */
function tenantIn(name: string | undefined): string | undefined {
  const parts: unknown = name === undefined ? undefined : JSON.parse(name);
  const tenant: unknown = Array.isArray(parts) ? parts[0] : undefined;
  return typeof tenant === "string" ? tenant : undefined;
}

function bindingWithin(binding: string, jurisdiction: string | undefined): string {
  return jurisdiction === undefined
    ? binding
    : `${binding}_${jurisdiction.toUpperCase().replaceAll("-", "_")}`;
}

/** East of it, in degrees of longitude, is the one region of a continent, and west of it the other. */
const ROCKIES = -100;
const ODER = 15;
const INDUS = 65;

function nearClient({ cf }: Request): DurableObjectLocationHint | undefined {
  const [continent, longitude] = [textIn(cf, "continent"), Number(textIn(cf, "longitude"))];
  switch (continent) {
    case "NA":
      return longitude < ROCKIES ? "wnam" : "enam";
    case "SA":
      return "sam";
    case "EU":
      return longitude > ODER ? "eeur" : "weur";
    case "AS":
      return longitude < INDUS ? "me" : "apac";
    case "OC":
      return "oc";
    case "AF":
      return "afr";
    default:
      return undefined;
  }
}

function textIn(cf: object | undefined, key: string): string | undefined {
  const value: unknown = cf === undefined ? undefined : Reflect.get(cf, key);
  return typeof value === "string" ? value : undefined;
}
