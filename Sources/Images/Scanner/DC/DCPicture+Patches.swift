extension DCPicture {
    /// Decodes the patches of the plan the file was read with.
    ///
    /// Nil without a plan, or when a baseline file has its components in several scans.
    ///
    /// - Complexity: O(pixels of the patches).
    func patches() -> Patches? {
        guard let plan else { return nil }
        if let baseline { return baselinePatches(baseline, plan) }
        guard frame.coding == .progressive else { return nil }
        let steps = steps.map { BlockDecoder.rowMajorSteps($0) }
        return Patches(plan, frame: frame) { component, _, number, rows in
            rows = chosen[component].rows(of: number, steps: steps[component])
            return true
        }
    }

    private func baselinePatches(_ baseline: BaselineScan, _ plan: SamplePlan) -> Patches? {
        let layout = baseline.layout
        // A scan's parts need not stand in the frame's order.
        let parts = frame.components.indices.compactMap { component in
            layout.parts.firstIndex { $0.component == component }
        }
        guard parts.count == frame.components.count else { return nil }
        let decoders = layout.parts.indices.map {
            BlockDecoder(dc: baseline.dc[$0], ac: baseline.ac[$0], steps: steps[layout.parts[$0].component])
        }
        return Patches(plan, frame: frame) { component, location, _, rows in
            let part = parts[component]
            return decoders[part].decode(
                at: baseline.starts[layout.number(of: location, in: layout.parts[part])],
                data: unsafe baseline.data.bytes.span.bytes, end: baseline.data.count * 8, into: &rows)
        }
    }
}
