import * as v from "valibot";
import { Count, exactly } from "../requests/schemas.ts";

export const DeliveriesQuery = exactly({ limit: v.optional(Count, "100") });
