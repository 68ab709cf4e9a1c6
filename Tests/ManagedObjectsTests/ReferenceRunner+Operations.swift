import ManagedObjects

// Operations, applied to the objects of a context and to the reference model alike.
extension ReferenceRunner {
    func create<T: Thing>(
        _ type: T.Type, _ kind: ReferenceModel.Kind, _ operation: GraphOperation,
        _ context: isolated ManagedObjectContext,
        _ replica: Replica
    ) {
        let object = context.insert(type)
        (object.number, object.name) = (operation.value, "n\(next)")
        references[next] = object.objectID
        replica.model.rows[next] = ReferenceModel.Row(kind: kind, name: "n\(next)", number: operation.value)
        next += 1
        replica.isSimple = false
    }

    func act(_ operation: GraphOperation, _ context: isolated ManagedObjectContext, _ replica: Replica) {
        acting = replica
        let model = replica.model
        let people = model.of(.resident, .pupil), places = model.of(.place), clubs = model.of(.club)
        let events = model.of(.event), passes = model.of(.pass), statues = model.of(.statue)
        let person = operation.pick(people, 0), other = operation.pick(people, 1)
        func complex() { replica.isSimple = false }
        switch operation.kind {
        case .createResident: create(Resident.self, .resident, operation, context, replica)
        case .createPupil: create(Pupil.self, .pupil, operation, context, replica)
        case .createPlace: create(Place.self, .place, operation, context, replica)
        case .createClub: create(Club.self, .club, operation, context, replica)
        case .createEvent: create(Event.self, .event, operation, context, replica)
        case .createPass: create(Pass.self, .pass, operation, context, replica)
        case .createStatue: create(Statue.self, .statue, operation, context, replica)
        case .setNumber:
            guard let id = operation.pick(model.rows.keys.sorted(), 0), let thing: Thing = object(id, context)
            else { return }
            thing.number = operation.value
            replica.model.rows[id]?.number = operation.value
            replica.changes[id, default: []].insert("number")
        case .setPicture:
            complex()
            // Few, so that one is changed again and again, with saves and undos in between.
            guard let id = operation.pick(Array(model.rows.keys.sorted().prefix(3)), 0),
                let thing: Thing = object(id, context)
            else { return }
            replica.model.rows[id]?.picture = operation.isNothing ? nil : operation.value + 1
            thing.picture = operation.isNothing ? nil : ReferenceModel.bytes(ofPicture: operation.value + 1)
        case .setHome:
            guard let person, let it: Resident = object(person, context) else { return }
            let home = operation.isNothing ? nil : operation.pick(places, 1)
            it.home = object(home, context)
            replica.model.rows[person]?.home = home
            replica.changes[person, default: []].insert("home")
        case .setBoss:
            guard let person, let it: Resident = object(person, context) else { return }
            it.boss = operation.isNothing ? nil : object(other, context)
            replica.model.rows[person]?.boss = operation.isNothing ? nil : other
            replica.changes[person, default: []].insert("boss")
        case .setResidents:
            guard let place = operation.pick(places, 0), let it: Place = object(place, context) else {
                return
            }
            let some = people.filter { ($0 + Int(operation.value)) % 3 == 0 }
            let objects: [Resident] = some.compactMap { object($0, context) }
            it.residents = Set(objects)
            for id in people where replica.model.rows[id]?.home == place {
                replica.model.rows[id]?.home = nil
            }
            for id in some { replica.model.rows[id]?.home = place }
            complex()
        case .setBadge:
            complex()
            if operation.value % 2 == 0 {
                guard let person, let it: Resident = object(person, context) else { return }
                let pass = operation.isNothing ? nil : operation.pick(passes, 1)
                it.badge = object(pass, context)
                replica.model.setBadge(person, pass)
            } else {
                guard let pass = operation.pick(passes, 0), let it: Pass = object(pass, context) else {
                    return
                }
                it.holder = operation.isNothing ? nil : object(other, context)
                if let holder = model.holder(of: pass) { replica.model.setBadge(holder, nil) }
                if !operation.isNothing, let other { replica.model.setBadge(other, pass) }
            }
        case .toggleMembership:
            complex()
            guard let person, let club = operation.pick(clubs, 1), let it: Resident = object(person, context),
                let its: Club = object(club, context)
            else { return }
            if model.rows[person]?.clubs.contains(club) ?? false {
                if operation.isNothing { it.clubs.remove(its) } else { its.remove(it, from: \.members) }
                replica.model.rows[person]?.clubs.remove(club)
            } else {
                if operation.isNothing { it.clubs.insert(its) } else { its.insert(it, into: \.members) }
                replica.model.rows[person]?.clubs.insert(club)
            }
        case .toggleFriendship:
            complex()
            guard let person, let other, let a: Resident = object(person, context),
                let b: Resident = object(other, context)
            else { return }
            let are = !(model.rows[person]?.friends.contains(other) ?? false)
            if are { a.friends.insert(b) } else { a.friends.remove(b) }
            replica.model.befriend(person, other, are)
        case .setClub:
            complex()
            guard let event = operation.pick(events, 0), let it: Event = object(event, context) else {
                return
            }
            let club = operation.isNothing ? nil : operation.pick(clubs, 1)
            it.club = object(club, context)
            replica.model.setClub(event, club)
        case .turnEvents:
            complex()
            guard let club = operation.pick(clubs, 0), let it: Club = object(club, context),
                let list = model.rows[club]?.events
            else { return }
            let turned = Array(list.dropFirst(1) + list.prefix(1)).reversed()
            it.events = turned.compactMap { object($0, context) }
            replica.model.rows[club]?.events = Array(turned)
        case .setGuests:
            complex()
            guard let event = operation.pick(events, 0), let it: Event = object(event, context) else {
                return
            }
            let guests = people.filter { ($0 + Int(operation.value)) % 2 == 0 }.sorted {
                ($0 * 31 + Int(operation.value)) % 7 < ($1 * 31 + Int(operation.value)) % 7
            }
            it.guests = guests.compactMap { object($0, context) }
            replica.model.rows[event]?.guests = guests
        case .setStatues:
            complex()
            if operation.value % 2 == 0 {
                guard let place = operation.pick(places, 0), let it: Place = object(place, context) else {
                    return
                }
                let some = Set(statues.filter { ($0 + Int(operation.value)) % 2 == 0 })
                let objects: [Statue] = some.compactMap { object($0, context) }
                it.statues = Set(objects)
                replica.model.setStatues(place, some)
            } else {
                guard let pass = operation.pick(passes, 0), let it: Pass = object(pass, context) else {
                    return
                }
                // `Pass.place` has no inverse: `delete` clears it by hand.
                it.place = operation.isNothing ? nil : object(operation.pick(places, 1), context)
                replica.model.rows[pass]?.place = operation.isNothing ? nil : operation.pick(places, 1)
            }
        case .delete, .deleteClub:
            complex()
            let all = operation.kind == .delete ? model.rows.keys.sorted() : clubs
            guard let id = operation.pick(all, 0), let it: Thing = object(id, context)
            else {
                return
            }
            for pass in passes where model.rows[pass]?.place == id {
                (object(pass, context) as Pass?)?.place = nil
                replica.model.rows[pass]?.place = nil
            }
            context.delete(it)
            replica.model.delete(id)
        case .save, .push, .batchUpdate, .batchDelete, .saveInCallback, .rollback, .refresh, .undo, .redo:
            assertionFailure("\(operation) is the runner's")
        }
    }
}
